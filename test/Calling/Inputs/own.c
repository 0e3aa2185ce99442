//===- own.c - what the library that is linked carries itself -------------===//

#include "hocket/hocket.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print(const char *text, const char *after) {
  const char *value = strstr(text, after) + strlen(after);
  printf("%.*s", (int)strcspn(value, "\",\n"), value);
}

/* It is found also where the current folder is another one by now. */
int main(void) {
  hocket_program *program;
  if (chdir("/") || hocket_load(NULL, NULL, &program)) {
    printf("error: %s\n", hocket_error());
    return 1;
  }
  print(hocket_describe(program), "\"model\": \"");
  printf(", ");
  print(hocket_describe(program), "\"ranks\": ");
  printf(" ranks\n");
  hocket_unload(program);
  return 0;
}
