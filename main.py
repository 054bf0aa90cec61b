from app.bootstrap import main

raise SystemExit(main())
