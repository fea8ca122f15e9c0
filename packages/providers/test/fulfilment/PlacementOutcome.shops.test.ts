import { itPlacesOnce } from "./placements.ts"
import { ownShops, serveWorlds } from "./worlds.ts"

/*
 * The same certainty about the orders of a host's own shop.
 */

itPlacesOnce(ownShops(serveWorlds()))
