"""Published models: shapes read from config.json and GGUF headers, and the catalogue. No Qt."""
