"""The texts of the dashboard in other languages: what is marked, what is translated, and whether the compiled catalogues are current."""
