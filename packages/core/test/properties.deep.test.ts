/*
 * Properties that take long, with all their runs. `npm test` has a sixth of them.
 */
import "./domain/SolanaTransaction.test.ts"
import "./runtime/BoundedMap.test.ts"
import "./shop/mail/Html.test.ts"
import "./shop/orders/orderExport.test.ts"
import "./toll/audit/ChainAudit.property.test.ts"
import "./toll/exact/Solana.test.ts"
import "./toll/limits/FairPool.model.test.ts"
import "./toll/request/PaymentHeader.test.ts"
