"""What may leave a customer's site: profiles, the sealed file of names, clean copies and redacted reports."""
