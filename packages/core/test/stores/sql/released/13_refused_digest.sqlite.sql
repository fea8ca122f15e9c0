ALTER TABLE till_charges ADD COLUMN refused_digest TEXT NOT NULL DEFAULT '';
