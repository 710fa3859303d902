-- Rate limits of one account, in the place of those configured: `seconds:count,seconds:count`, `off`, or empty.
ALTER TABLE "users" ADD COLUMN "rate_limits" TEXT NOT NULL DEFAULT '';
