"""The client-channel protocol as bytes: headers, flows and their contents, for readers and writers."""
