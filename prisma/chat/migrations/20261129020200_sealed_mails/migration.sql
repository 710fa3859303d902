-- Texts of mails are encrypted until they are sent: they may contain links that give access to an account.
ALTER TABLE "outgoing_mails" ADD COLUMN "text_sealed" TEXT;
ALTER TABLE "outgoing_mails" ALTER COLUMN "text" DROP NOT NULL;
