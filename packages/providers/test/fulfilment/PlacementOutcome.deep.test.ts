import { itPlacesOnce } from "./placements.ts"
import { marketplaces, ownShops, serveWorlds } from "./worlds.ts"

const server = serveWorlds()

itPlacesOnce({ ...marketplaces(server), ...ownShops(server) }, [3])
