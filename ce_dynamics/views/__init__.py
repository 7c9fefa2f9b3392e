"""Systems and mechanisms for people to look at: as data, as text, as drawings."""
