import { simulationOn } from "./promises.ts"

simulationOn("sqlite", 1_701, 300)
