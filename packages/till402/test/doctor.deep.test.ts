import { it } from "vitest"
import { expectNamed, independent, useDoctor } from "./brokenSetUps.ts"

/*
 * Each alone of the faults that doctor.test.ts has in one set-up.
 */

useDoctor()

it.each([...independent])("%s is named with its cure, and nothing else is", expectNamed)
