import type { Issue } from "../../domain/ApiError.ts"
import { isUnitedStates } from "./Address.ts"
import { usPostalCodeOf, usStateOf } from "./UnitedStates.ts"

/*
 * Which state a ZIP code is in, by its first three digits: USPS Labeling List L002, "3-Digit ZIP Code Prefix Matrix"
 * (https://pe.usps.com/text/labelinglists/l002.htm). Each block begins with the digits behind its state. `--` is in no
 * state: not in use, or of the armed forces, in whose addresses forms may have put another state.
 */
const zipBlocks =
  "--000NY005PR006VI008PR009MA010RI028NH030ME039VT050MA055VT056CT060NJ070--090NY100PA150DE197DC200VA201DC202MD206" +
  "VA220WV247--269NC270SC290GA300FL320--340FL341--348FL349AL350TN370MS386GA398KY400--428OH430IN460MI480IA500--529" +
  "WI530MN550--568DC569SD570--578ND580--589MT590IL600MO630--659KS660NE680--694LA700--715AR716OK730TX733OK734TX750" +
  "CO800--817WY820ID832--839UT840--848AZ850--866NM870TX885--886NV889--899CA900--962HI967GU969OR970WA980AK995"

/** Groups of a state and those beside it that have no group before: some ZIP codes reach over a border. */
const neighbours =
  "ALFLGAMSTN ARLAMOMSOKTNTX AZCANMNVUTCO CANVOR COKSNENMOKUTWY CTMANYRI DCMDVA DEMDNJPA FLGA GANCSCTN GUHIASMPFMMHPW " +
  "HIAS IAILMNMONESDWI IDMTNVORUTWAWY ILINKYMOWI INKYMIOH KSMONEOK KYMOOHTNVAWV LAMSTX MANHNYRIVT MDPAVAWV MENH MIOHWI " +
  "MNNDSDWI MONEOKTN MSTN MTNDSDWY NCSCTNVA NDSD NESDWY NHVT NJNYPA NMOKTXUT NVORUT NYPARIVT OHPAWV OKTX ORWA PAWV PRVI " +
  "SDWY TNVA UTWY VAWV"

const groups: ReadonlyArray<ReadonlyArray<string>> = neighbours
  .split(" ")
  .map((group) => group.match(/../g) ?? [])

const isBeside = (left: string, right: string): boolean =>
  groups.some(
    ([first, ...others]) =>
      (first === left && others.includes(right)) || (first === right && others.includes(left))
  )

/**
 * The state that a ZIP code is in, if an address can't have it together with `state`, a code of `usStateOf`: it is neither
 * that state nor one beside it. Military addresses pass.
 */
export const otherStateOfZip = (zip: string, state: string): string | undefined => {
  const blocks = Array.from(zipBlocks.matchAll(/(..)(\d{3})/g))
  const found = blocks.findLast(([, , first]) => first! <= zip.slice(0, 3))?.[1] ?? "--"
  return found === "--" || found === state || /^A[AEP]$/.test(state) || isBeside(found, state)
    ? undefined
    : found
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Faults of a body with a `shippingAddress` in the United States whose ZIP code is in another state. */
export const zipFaults = ({ shippingAddress }: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> => {
  const { country, postalCode, state } = { ...(shippingAddress as Readonly<Record<string, unknown>> | null) }
  const zip = usPostalCodeOf(textOf(postalCode))
  const code = usStateOf(textOf(state))
  if (!isUnitedStates(country) || zip === undefined || code === undefined) return []
  const other = otherStateOfZip(zip, code)
  return other === undefined
    ? []
    : [
        {
          path: "shippingAddress.postalCode",
          message: `is a ZIP code of ${other}: correct it, or the state`
        }
      ]
}
