import { simulationOn } from "./promises.ts"

simulationOn("sqlite", 1_201, 800)
