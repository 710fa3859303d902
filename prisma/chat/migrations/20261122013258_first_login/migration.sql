-- Accounts that somebody else made and whose owners have not come yet: they join when they do.
ALTER TABLE "users" ADD COLUMN "awaits_first_login" BOOLEAN NOT NULL DEFAULT false;
