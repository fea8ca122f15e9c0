import { migrations } from "../../../src/stores/schema/migrations.ts"
import { isQuick, testReleasedData } from "../sql/releasedData.ts"

testReleasedData(migrations.filter((one) => !isQuick(one)))
