import { AddonFileError, type ElfMachine } from './elf-file.js';

/**
 * Number of places where the addon sets the timer for idle connections. uSockets checks them every 4,000 ms
 * (`LIBUS_TIMEOUT_GRANULARITY`). Measurements show that these binaries close a connection at the eighth check after its
 * last answer.
 */
const TIMER_PLACES = 3;
const CHECKS_SURVIVED = 7;
const COMPILED_INTERVAL_MS = 4_000;

/**
 * Sets how long an idle connection stays open, by changing the interval of the idle checks in the compiled addon. A
 * connection survives seven checks and is closed at the eighth, so after `seconds` to 1.15 × `seconds`.
 *
 * @param file edited in place
 * @param seconds on arm64, more than 458 are rounded up to the next multiple of 458.752
 * @throws {AddonFileError} when the code does not set the timer as expected; then `file` is unchanged
 */
export function setKeepAlive(file: Buffer, machine: ElfMachine, seconds: number): void {
  const intervalMs = Math.ceil((seconds * 1_000) / CHECKS_SURVIVED);
  const places = machine === 'x64' ? x64Places(file) : arm64Places(file);
  if (places.length !== 2 * TIMER_PLACES) {
    throw new AddonFileError(`the idle timer is set at ${places.length / 2} places, not ${TIMER_PLACES}`);
  }
  for (const place of places) {
    if (machine === 'x64') file.writeUInt32LE(intervalMs, place);
    else file.writeUInt32LE(arm64Move(file.readUInt32LE(place), intervalMs), place);
  }
}

/** `mov edx, 4000; mov ecx, 4000`: timeout and repetition, the last arguments of `uv_timer_start`. */
const X64_CODE = Buffer.from('baa00f0000b9a00f0000', 'hex');
const X64_OPERANDS = [1, 6];

/** @returns offsets of all 32-bit operands */
function x64Places(file: Buffer): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(X64_CODE); at !== -1; at = file.indexOf(X64_CODE, at + 1)) {
    places.push(...X64_OPERANDS.map((operand) => at + operand));
  }
  return places;
}

const ARM64_INSTRUCTION_BYTES = 4;
/** `movz w2, #4000`, and the same for `w3`. The compiler puts up to one other instruction between them. */
const ARM64_TIMEOUT = arm64Code(0x52800002 | (COMPILED_INTERVAL_MS << 5));
const ARM64_REPETITION = arm64Code(0x52800003 | (COMPILED_INTERVAL_MS << 5));

/** @returns offsets of all instructions that load an argument */
function arm64Places(file: Buffer): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(ARM64_TIMEOUT); at !== -1; at = file.indexOf(ARM64_TIMEOUT, at + 1)) {
    const next = file.indexOf(ARM64_REPETITION, at);
    const isPair = next !== -1 && next - at <= 2 * ARM64_INSTRUCTION_BYTES;
    if (at % ARM64_INSTRUCTION_BYTES === 0 && isPair) places.push(at, next);
  }
  return places;
}

/** `movz` with another operand. It takes 16 bits, or 16 bits shifted left by 16. */
function arm64Move(instruction: number, value: number): number {
  const opcodeAndRegister = instruction & 0xff80001f;
  const operand = value <= 0xffff ? value << 5 : (1 << 21) | (Math.ceil(value / 0x10000) << 5);
  return (opcodeAndRegister | operand) >>> 0;
}

function arm64Code(instruction: number): Buffer {
  const code = Buffer.alloc(ARM64_INSTRUCTION_BYTES);
  code.writeUInt32LE(instruction >>> 0);
  return code;
}
