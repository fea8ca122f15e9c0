/*
 * Properties that take long, with all their runs. `npm test` has a sixth of them.
 */
import "./17track/Lookup.property.test.ts"
import "./17track/Shipment.property.test.ts"
import "./amazon/AmazonProvider.test.ts"
import "./shopify/CatalogueProduct.property.test.ts"
import "./shopify/CursorChains.property.test.ts"
import "./shopify/JsonRpc.property.test.ts"
