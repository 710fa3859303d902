-- Browsers that logged in. The cookie itself is not kept, only its digest; a changed password ends them all.
CREATE TABLE users_session (
    digest VARCHAR(64) NOT NULL,
    user_id BIGINT NOT NULL,
    csrf_token VARCHAR(64) NOT NULL,
    password_digest VARCHAR(64) NOT NULL,
    expires TIMESTAMPTZ(6) NOT NULL,
    CONSTRAINT users_session_pkey PRIMARY KEY (digest),
    CONSTRAINT users_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_session_user_id_idx ON users_session (user_id);
CREATE INDEX users_session_expires_idx ON users_session (expires);
