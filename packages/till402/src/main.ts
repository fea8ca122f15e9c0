#!/usr/bin/env node
import { runProcess } from "./runProcess.ts"

await runProcess(process.argv.slice(2))
