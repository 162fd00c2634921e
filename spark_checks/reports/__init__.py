"""What an audit tells, and where: everything here is made of `Results`, which is plain data."""
