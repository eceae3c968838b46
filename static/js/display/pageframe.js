// The frame of the page: opened, handed one end of a MessagePort, listened to.

import { readMessage } from "./messages.js";

/** @param {HTMLIFrameElement} frame @param {HTMLElement} root shows data-loading meanwhile @param {(message: import("./messages.js").FromFrame) => void} hear */
export function pageFrame(frame, root, hear) {
  /** @type {MessagePort | null} */ let port = null;

  frame.addEventListener("load", () => {
    if (!frame.src) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event) => {
      const message = port1 === port && readMessage(event.data); // a page that was left has nothing to say any more
      if (!message) return;
      if (message.type === "ready") delete root.dataset.loading;
      hear(message);
    };
    port = port1;
    // The frame has no origin that could be named. What is handed over is a port, no secret, and only its own window gets it.
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
      // The key that opens another page was pressed in this one: its release must still find somebody who listens.
      frame.blur();
      window.focus();
      setTimeout(() => { frame.src = address; });
    },
  };
}
