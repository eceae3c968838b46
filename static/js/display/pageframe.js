// Opens the frame of the page, hands it one end of a MessagePort and listens to the other.

import { readMessage } from "./messages.js";

/** @param {HTMLIFrameElement} frame @param {HTMLElement} root shows data-loading meanwhile @param {(message: import("./messages.js").FromFrame) => void} hear */
export function pageFrame(frame, root, hear) {
  /** @type {MessagePort | null} */ let port = null;

  frame.addEventListener("load", () => {
    if (!frame.src) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event) => {
      const message = port1 === port && readMessage(event.data); // ignore messages of a page that was left
      if (!message) return;
      if (message.type === "ready") delete root.dataset.loading;
      hear(message);
    };
    port = port1;
    // The frame has no origin to name. Only its own window gets the port, and the port is no secret.
    frame.contentWindow?.postMessage("port", "*", [port2]);
  });

  return {
    /** @param {import("./messages.js").ToFrame} message */
    say: (message) => port?.postMessage(message),
    /** @param {string | undefined} address */
    show(address) {
      port = null;
      if (!address) return;
      root.dataset.loading = "true";
      // The key that opened another page was pressed in this one, so its release must still be heard.
      frame.blur();
      window.focus();
      setTimeout(() => { frame.src = address; });
    },
  };
}
