-- The tag of a slug, as a function and not as a subselect: the planner asks it, and then knows how many objects the tag is
-- on. Without that it takes each tag for an average one and walks through all objects to find the few of a rare one.
CREATE FUNCTION extras_tag_id(slug TEXT) RETURNS BIGINT LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.id FROM extras_tag t WHERE t.slug = $1
$$;
