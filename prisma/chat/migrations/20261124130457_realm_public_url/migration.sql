-- Scheme, host and port that links to a realm begin with. NULL: https:// and the host in production, the origin of the
-- request in development.
ALTER TABLE "realms" ADD COLUMN "public_url" TEXT;
