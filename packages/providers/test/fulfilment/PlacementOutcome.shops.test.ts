import { isQuickReply, itPlacesOnce } from "./placements.ts"
import { ownShops, serveWorlds } from "./worlds.ts"

/*
 * The same certainty about the orders of a host's own shop.
 */

const { "shopify-admin": shopify, ...others } = ownShops(serveWorlds())

itPlacesOnce({ "shopify-admin": shopify! }, [1, 2], isQuickReply)
itPlacesOnce(others, [1], isQuickReply)
