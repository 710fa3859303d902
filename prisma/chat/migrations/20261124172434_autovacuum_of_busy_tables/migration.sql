-- Tables whose rows change most. By default a fifth of a table has to change before it is vacuumed, a tenth before it is
-- analyzed: millions of rows of user_messages. Neither readers nor writers wait for these statements.
ALTER TABLE "user_messages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE "messages" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "presences" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE "subscriber_counts" SET (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 200);
