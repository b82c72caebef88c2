# without_links(<document> <copy>): a copy of a Markdown document for the installed documentation. Links to other files
# of the sources, which are not installed, become their text; pictures are left out.
function(without_links document copy)
  file(READ ${document} text)
  string(REGEX REPLACE "!\\[[^]]*\\]\\([^:)]*\\)\n*" "" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\([^:)]*\\)" "\\1" text "${text}")
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${document})
endfunction()
