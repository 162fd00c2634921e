"""What every check needs: the calls of a log as rows, puts and gets matched, and what is not known about them."""
