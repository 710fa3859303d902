-- How many messages a week a channel has, on average; null for channels that are too new to say.
ALTER TABLE "channels" ADD COLUMN "weekly_traffic" INTEGER;
