/*
 * Check digits of tracking numbers, as pure functions of the characters before the check digit. They
 * accept only characters that the format's pattern allows.
 */

const digitAt = (text: string, index: number): number => text.charCodeAt(index) - 48

/** The sum of the digits, weighted from the right; the weights repeat. */
const weightedSum = (digits: string, weightsFromRight: ReadonlyArray<number>): number => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    sum += digitAt(digits, digits.length - 1 - place) * weightsFromRight[place % weightsFromRight.length]!
  }
  return sum
}

const upToTen = (sum: number): string => String((10 - (sum % 10)) % 10)

/** GS1 (SSCC, USPS, FedEx Ground and SmartPost, Canada Post): weights 3 and 1 from the right, modulo 10. */
export const gs1 = (digits: string): string => upToTen(weightedSum(digits, [3, 1]))

/** FedEx Express: weights 1, 3, 7 from the right, modulo 11, of which 10 counts as 0. */
export const fedexExpress = (digits: string): string => String((weightedSum(digits, [1, 3, 7]) % 11) % 10)

/** UPS 1Z: letters count as digits (A is 2, B is 3, …, I is 0), weights 1 and 2 from the right, modulo 10. */
export const ups = (text: string): string => {
  const digits = text.replaceAll(/[A-Z]/g, (letter) => String((letter.charCodeAt(0) - 63) % 10))
  return upToTen(weightedSum(digits, [1, 2]))
}

/** OnTrac: weights 2 and 1 from the right over the digits and a leading digit that stands for the letter. */
export const ontrac = (digits: string): string => upToTen(weightedSum(digits, [2, 1]))

/** The remainder modulo 7, read as one number: DHL Express waybills, Yamato, Sagawa, Japan Post. */
export const mod7 = (digits: string): string => {
  let remainder = 0
  for (let index = 0; index < digits.length; index++)
    remainder = (remainder * 10 + digitAt(digits, index)) % 7
  return String(remainder)
}

const s10Weights = [8, 6, 4, 2, 3, 5, 9, 7]

/** UPU standard S10: eight digits, weights 8 6 4 2 3 5 9 7, modulo 11. */
export const s10 = (digits: string): string => {
  const sum = s10Weights.reduce((total, weight, index) => total + weight * digitAt(digits, index), 0)
  const check = 11 - (sum % 11)
  return check === 10 ? "0" : check === 11 ? "5" : String(check)
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** ISO 7064 MOD 37,36: DPD labels. */
export const mod37 = (text: string): string => {
  let product = 36
  for (const character of text) {
    const sum = (product + alphabet.indexOf(character)) % 36
    product = ((sum === 0 ? 36 : sum) * 2) % 37
  }
  return alphabet[(37 - product) % 36]!
}
