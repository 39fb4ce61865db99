"""Commands behind ``primus-cli`` that need Python: configuration, schemas, patches."""
