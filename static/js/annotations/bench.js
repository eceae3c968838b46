// What the parts of the workbench share. Each part gets the bench and adds its functions to it, so that no part imports another.

/**
 * @typedef {import("../display/places.js").Place} Place
 * @typedef {import("./store.js").Value} Value
 * @typedef {import("./store.js").Attribute} Attribute
 * @typedef {import("./trail.js").Described} Described
 */

/**
 * What the arrow keys act on. attribute: null for the keyboard's cursor. place: null until the server has described it.
 * @typedef {{attribute: number | null, page: number, location: Place, place: Described | null}} Focus
 *
 * A change as the server takes it. row: of the attribute's list, 0 for the page's own attributes. locations: null for "not on this page".
 * @typedef {{attribute: number, row: number, locations: Place[] | null}} Change
 *
 * store: set when the server has answered. showPage: opens the current page in the frame. showValue: brings the current attribute's value into view.
 * teach: asks what is learned now. hush: stops the search for the page to mark next, because labels have changed.
 * arrange: puts the samples in the order in which they would teach most.
 * @typedef {{
 *   root: HTMLElement,
 *   api: ReturnType<typeof import("./api.js").connect>,
 *   store: import("./store.js").Store,
 *   tree: ReturnType<typeof import("./treepanel.js").treePanel>,
 *   say: (message: import("../display/messages.js").ToFrame) => void,
 *   showPage: () => void,
 *   showValue: () => void,
 *   draw: () => void,
 *   drawFocus: () => void,
 *   drawSaves: () => void,
 *   fail: (error: unknown) => void,
 *   teach: (attributes: number[], page: number) => void,
 *   hush: () => void,
 *   arrange: () => void,
 *   suggest: (page: number) => void,
 *   lookUp: (attributes: number[]) => Promise<void>,
 * }} Shared
 *
 * @typedef {{
 *   focus: () => Focus | null,
 *   setFocus: (attribute: number | null, location: Place) => void,
 *   dropFocus: () => void,
 *   adjust: (how: (place: Described) => Place | null) => void,
 *   adjustTo: (location: Place) => void,
 * }} Focusing
 *
 * choose: makes an attribute the current one. openRow: 0 for the row after those that are marked.
 * @typedef {{
 *   choose: (attribute: number, how?: {keepFocus?: boolean}) => void,
 *   chooseBy: (step: number) => void,
 *   openPage: (page: number) => void,
 *   openBy: (step: number) => void,
 *   openNextUnsaid: () => void,
 *   openRow: (list: number, row: number) => void,
 *   openNextRow: () => void,
 *   advance: () => void,
 * }} Choosing
 *
 * @typedef {{
 *   click: (clicked: {location: Place, value: string, marks: string[]}) => void,
 *   takePlace: (location: Place) => void,
 *   mark: (attribute: Attribute, values: Value[] | null, at: Place | null) => void,
 *   confirm: () => void,
 *   confirmAll: () => void,
 *   acceptRows: (list: number) => void, refuseRow: (list: number) => void, addBeside: () => void,
 *   absent: () => void,
 *   clear: () => void,
 *   remove: (number: number) => void,
 * }} Marking
 *
 * @typedef {{
 *   save: (changes: Change[]) => void,
 *   replay: (which: "undo/" | "redo/") => void,
 *   lookAgain: () => void,
 *   remember: () => void,
 *   saves: () => {saving: boolean, failed: boolean, at: number},
 * }} Saving
 *
 * @typedef {Shared & Focusing & Choosing & Marking & Saving} Bench
 */

export {};
