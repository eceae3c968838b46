"""What is expected of records: rules as values, the checks of one record, the judgement of many, and rules suggested from data."""
