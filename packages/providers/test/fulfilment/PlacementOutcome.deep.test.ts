import { itPlacesOnce } from "./placements.ts"
import { marketplaces, ownShops, serveWorlds } from "./worlds.ts"

const server = serveWorlds()

const { rye, ...otherMarketplaces } = marketplaces(server)
const { "shopify-admin": shopify, ...otherShops } = ownShops(server)

itPlacesOnce({ rye: rye!, "shopify-admin": shopify! }, [3])
itPlacesOnce({ ...otherMarketplaces, ...otherShops }, [2, 3])
