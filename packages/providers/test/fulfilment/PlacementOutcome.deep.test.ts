import { itPlacesOnce } from "./placements.ts"
import { marketplaces, ownShops, serveWorlds } from "./worlds.ts"

/* Every reply to every request, of which npm test has a few. */

const server = serveWorlds()

itPlacesOnce({ ...marketplaces(server), ...ownShops(server) }, [1, 2, 3])
