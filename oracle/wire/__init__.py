"""The client-channel protocol as bytes: headers, flows and what they say, for whoever reads or writes them."""
