const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size for people to read. @param {number} bytes */
export function formatSize(bytes) {
  let unit = 0;
  let number = bytes;
  while (number >= 1024 && unit < UNITS.length - 1) {
    number /= 1024;
    unit += 1;
  }
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${UNITS[unit]}`;
}
