"""Long checks that are no part of the suite: campaign ``NAME`` runs one."""
