-- When a user last sent a request of any kind, with a precision of an hour: presence alone misses programs, and people
-- whose clients do not report presence.
CREATE TABLE user_activity (
  user_id integer PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  last_request_at timestamptz(3) NOT NULL
);

INSERT INTO user_activity (user_id, last_request_at)
SELECT id, last_login_at FROM users WHERE last_login_at IS NOT NULL;
