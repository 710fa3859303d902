-- An earlier release reads the column by its old name. It must not send a mail whose text is encrypted as an empty one.
ALTER TABLE "outgoing_mails" RENAME COLUMN "text" TO "plain_text";
