#!/usr/bin/env node
import { runSandbox } from "./run.ts"

runSandbox(process.argv.slice(2))
