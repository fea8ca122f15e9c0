ALTER TABLE till_charges ADD COLUMN claimed_after TEXT NOT NULL DEFAULT '';

ALTER TABLE till_charges DROP COLUMN unverified_since;
