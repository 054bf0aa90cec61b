"""The capture page: hosts, questions, plan, approval, the running capture, the audit trail."""
