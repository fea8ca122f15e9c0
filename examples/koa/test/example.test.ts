import { exampleSuite } from "../../express/test/runningExample.ts"
import { postgresDatabase } from "./database.ts"

exampleSuite("Koa", new URL("../src/", import.meta.url), postgresDatabase)
