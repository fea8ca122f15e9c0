import { simulationOn } from "./promises.ts"

simulationOn("sqlite", 1_201, 300, ["crash at vaultPurchases.grant"])
