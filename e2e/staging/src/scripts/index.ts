import type { StagingScript } from "../StagingScript.ts"
import { canopyScript, rainforestScript, serpApiScript } from "./amazon.ts"
import { ryeScript } from "./rye.ts"
import { serviceScript } from "./service.ts"
import { seventeenTrackScript } from "./seventeenTrack.ts"
import { shopifyScript } from "./shopify.ts"
import { shopifyAdminScript } from "./shopifyAdmin.ts"
import { wooCommerceScript } from "./wooCommerce.ts"
import { zincScript } from "./zinc.ts"

/** The scripts, one for each upstream and one for the whole service. */
export const scripts: ReadonlyArray<StagingScript> = [
  canopyScript,
  rainforestScript,
  serpApiScript,
  shopifyScript,
  seventeenTrackScript,
  ryeScript,
  zincScript,
  wooCommerceScript,
  shopifyAdminScript,
  serviceScript
]
