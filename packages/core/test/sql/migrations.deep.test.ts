import { migrations } from "../../src/sql/migrations.ts"
import { isQuick, testReleasedData } from "./releasedData.ts"

testReleasedData(migrations.filter((one) => !isQuick(one)))
