#!/usr/bin/env node
import { create } from "./index.ts"

await create(process.argv.slice(2))
