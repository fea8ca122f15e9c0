INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('claimed', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '{"task":{"network":"eip155:84532"}}', 0, 0, 1000, 1000, 'claimed', 'me', 2000, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('due', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '', 0, 0, 1000, 1000, 'settled', 'me', 2000, 0, 0, '{"status":200,"contentType":"application/json","body":{"_tag":"Plain","text":"{\"products\":[]}"}}', NULL, NULL, 0, '{"success":true,"transaction":"0x0000000000000000000000000000000000000000000000000000000000000001","network":"eip155:84532","payer":"0x857b06519e91e3a54538791bdbb0e22373e36b66"}', '0x0000000000000000000000000000000000000000000000000000000000000001', NULL, 0, 0, NULL, 1500, 1500, NULL, NULL, NULL, NULL);

INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('ready', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '{"task":{"network":"eip155:84532"}}', 0, 0, 1000, 1000, 'ready', 'me', 2000, 0, 0, '{"status":200,"contentType":"application/json","body":{"_tag":"Plain","text":"{\"products\":[]}"}}', NULL, '{"kind":"order","id":"order-1"}', 0, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('refunded', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '', 0, 0, 1000, 1000, 'settled', 'me', 2000, 0, 0, '{"status":200,"contentType":"application/json","body":{"_tag":"Plain","text":"{\"products\":[]}"}}', NULL, NULL, 0, '{"success":true,"transaction":"0x0000000000000000000000000000000000000000000000000000000000000001","network":"eip155:84532","payer":"0x857b06519e91e3a54538791bdbb0e22373e36b66"}', '0x0000000000000000000000000000000000000000000000000000000000000001', NULL, 0, 0, NULL, 1500, 1500, 2000, 2500, '0xrefund', NULL);

INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('settled', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0xother', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '{"task":{"network":"eip155:84532"}}', 0, 0, 1000, 1000, 'settled', 'me', 2000, 0, 5000, '{"status":200,"contentType":"application/json","body":{"_tag":"Plain","text":"{\"products\":[]}"}}', NULL, NULL, 0, '{"success":true,"transaction":"0x0000000000000000000000000000000000000000000000000000000000000002","network":"eip155:84532","payer":"0x857b06519e91e3a54538791bdbb0e22373e36b66"}', '0x0000000000000000000000000000000000000000000000000000000000000002', 3, 1, 0, NULL, 1500, NULL, NULL, NULL, NULL, NULL);

INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, unverified_since, state, lease_owner, lease_until, attempts, check_after, response, response_expired_at, subject, effect_pending, receipt, transaction_hash, transfer_log_index, awaits_finality, reopenings, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction, reversed_at)
  VALUES ('voided', 'digest-1', 'k1:fingerprint-1', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', 1000, 2, '', 0, 0, 1000, 1000, 'voided', 'me', 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('due', 'refund_due', 0, 1500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', NULL, NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('due', 'settled', 0, 1500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', '0x0000000000000000000000000000000000000000000000000000000000000001', NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('refunded', 'refund_due', 0, 1500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', NULL, NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('refunded', 'refunded', 0, 2500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', '0xrefund', NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('refunded', 'settled', 0, 1500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0x857b06519e91e3a54538791bdbb0e22373e36b66', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', '0x0000000000000000000000000000000000000000000000000000000000000001', NULL);

INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount, transaction_hash, transfer_log_index)
  VALUES ('settled', 'settled', 0, 1500, '1970-01-01', 'search', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', '0xother', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '10000', '0x0000000000000000000000000000000000000000000000000000000000000002', 3);

INSERT INTO till_orders (id, status, version, due_at, created_at, updated_at, upstream_reference, document, personal, progress)
  VALUES ('00000000-0000-4000-8000-000000000001', 'awaiting_payment', 1, 5000, 1000, 1000, NULL, '{"chargeKey":"eip155:84532:0x036c:0xpayer:0x01","offer":{"product":{"title":"Canvas tote bag","imageUrl":"https://images.example/1.jpg","price":{"atomic":"9500000","currency":"USD"}},"subtotal":{"atomic":"9500000","currency":"USD"},"tax":{"atomic":"780000","currency":"USD"},"shipping":{"atomic":"4990000","currency":"USD"},"total":{"atomic":"15270000","currency":"USD"},"reference":"offer-1","expiresAtMillis":10000},"product":{"source":"marketplace_a","asin":"B000000001"}}', '{"email":"ada@example.com","shippingAddress":{"name":"Ada Lovelace","line1":"1 Main Street","city":"Springfield","state":"IL","postalCode":"62701","country":"US"}}', '{"attempts":0,"mails":[],"shipments":[],"stepAtMillis":5000}');

INSERT INTO till_orders (id, status, version, due_at, created_at, updated_at, upstream_reference, document, personal, progress)
  VALUES ('00000000-0000-4000-8000-000000000002', 'placed', 1, NULL, 1000, 1000, 'upstream-1', '{"chargeKey":"eip155:84532:0x036c:0xpayer:0x01","offer":{"product":{"title":"Canvas tote bag","imageUrl":"https://images.example/1.jpg","price":{"atomic":"9500000","currency":"USD"}},"subtotal":{"atomic":"9500000","currency":"USD"},"tax":{"atomic":"780000","currency":"USD"},"shipping":{"atomic":"4990000","currency":"USD"},"total":{"atomic":"15270000","currency":"USD"},"reference":"offer-1","expiresAtMillis":10000},"product":{"source":"marketplace_a","asin":"B000000001"}}', '{"email":"ada@example.com","shippingAddress":{"name":"Ada Lovelace","line1":"1 Main Street","city":"Springfield","state":"IL","postalCode":"62701","country":"US"}}', '{"attempts":0,"mails":[],"shipments":[]}');

INSERT INTO till_quotes (id, fingerprint, offer, created_at, expires_at, consumed_by)
  VALUES ('00000000-0000-4000-8000-000000000001', 'k1:request-1', '{"product":{"title":"Canvas tote bag","imageUrl":"https://images.example/1.jpg","price":{"atomic":"9500000","currency":"USD"}},"subtotal":{"atomic":"9500000","currency":"USD"},"tax":{"atomic":"780000","currency":"USD"},"shipping":{"atomic":"4990000","currency":"USD"},"total":{"atomic":"15270000","currency":"USD"},"reference":"offer-1","expiresAtMillis":10000}', 1000, 10000, NULL);

INSERT INTO till_refund_stop (id, reason, at)
  VALUES (1, 'an operator''s reason', 3000);

INSERT INTO till_vault_items (id, slug, position, product_type, category, price, downloads, search, terms_version, listed, document)
  VALUES ('00000000-0000-4000-8000-000000000001', 'item-1', 1, 'skill', 'development', 10, 0, 'release notes writer 1 item development turns a list of commits into', 1, 1, '{"id":"00000000-0000-4000-8000-000000000001","slug":"item-1","title":"Release notes writer 1","productType":"skill","cardDescription":"Turns a list of commits into release notes.","price":10,"category":"development","creator":{"name":"Sample Studio","type":"company"},"downloads":0,"coverImageUrl":"https://images.example/vault/1.png"}');

INSERT INTO till_vault_purchases (id, status, created_at, due_at, attempts, email, document)
  VALUES ('00000000-0000-4000-8000-000000000001', 'reserved', 1000, 5000, 0, 'ada@example.com', '{"chargeKey":"eip155:84532:0x036c:0xpayer:0x01","slug":"item-1","walletAddress":"11111111111111111111111111111111"}');

INSERT INTO till_vault_purchases (id, status, created_at, due_at, attempts, email, document)
  VALUES ('00000000-0000-4000-8000-000000000002', 'granted', 1000, NULL, 0, 'ada@example.com', '{"chargeKey":"eip155:84532:0x036c:0xpayer:0x01","slug":"item-1","walletAddress":"11111111111111111111111111111111"}');

INSERT INTO till_vault_downloads (item_id, slot, downloads)
  VALUES ('00000000-0000-4000-8000-000000000001', 3, 5);

INSERT INTO till_vault_downloads (item_id, slot, downloads)
  VALUES ('00000000-0000-4000-8000-000000000001', 4, 2);

INSERT INTO till_vault_archives (item_id, version, digest, size, published_at)
  VALUES ('00000000-0000-4000-8000-000000000001', 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 100, 1000);

INSERT INTO till_purchase_downloads (purchase_id, charge_key)
  VALUES ('00000000-0000-4000-8000-000000000002', 'settled');

INSERT INTO till_marks (name, value) VALUES ('secret.1', 'a digest');

INSERT INTO till_free_downloads (purchase_id, nonce, bytes, at)
  VALUES ('00000000-0000-4000-8000-000000000002', 'nonce-1', 100, 1000);
